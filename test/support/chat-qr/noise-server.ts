/** The server's side of the Noise handshake (`Noise_XX_25519_AESGCM_SHA256`), with a root key of its own. */
import type { ClientPayload, KeyPair, Node, PeerLibrary } from './peer-library.ts';

const NOTHING = Buffer.alloc(0);

function ivOf(counter: number): Buffer {
  const iv = Buffer.alloc(12);
  iv.writeUInt32BE(counter, 8);
  return iv;
}

/** Frames as they are on the wire: three bytes of length, and the bytes. */
function framed(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([bytes.length >>> 16, (bytes.length >>> 8) & 0xff, bytes.length & 0xff]), bytes]);
}

/** One connection's end of the protocol. */
export class NoiseServer {
  readonly #library: PeerLibrary;
  readonly #root: KeyPair;
  readonly #ephemeral: KeyPair;
  #bytes: Buffer = NOTHING;
  #hasIntro = false;
  #hash: Buffer;
  #salt: Buffer;
  #key: Buffer;
  #counter = 0;
  #stage: 'hello' | 'finish' | 'open' = 'hello';
  #reading = { key: NOTHING as Buffer, counter: 0 };
  #writing = { key: NOTHING as Buffer, counter: 0 };

  constructor(library: PeerLibrary, root: KeyPair) {
    this.#library = library;
    this.#root = root;
    this.#ephemeral = library.Curve.generateKeyPair();
    this.#hash = Buffer.from(library.NOISE_MODE);
    this.#salt = this.#hash;
    this.#key = this.#hash;
    this.#mix(library.NOISE_WA_HEADER);
  }

  /** Takes bytes; answers what is to be written, who logs in, and the elements that came. */
  async take(data: Buffer): Promise<{ answer: Buffer | null; login: ClientPayload | null; nodes: Node[] }> {
    this.#bytes = Buffer.concat([this.#bytes, data]);
    const taken = { answer: null as Buffer | null, login: null as ClientPayload | null, nodes: [] as Node[] };
    for (const frame of this.#frames()) {
      if (this.#stage === 'hello') taken.answer = this.#hello(frame);
      else if (this.#stage === 'finish') taken.login = this.#finish(frame);
      else {
        const { key, counter } = this.#reading;
        this.#reading.counter += 1;
        const plain = this.#library.aesDecryptGCM(frame, key, ivOf(counter), NOTHING);
        taken.nodes.push(await this.#library.decodeBinaryNode(plain));
      }
    }
    return taken;
  }

  /** An element as bytes to be written. */
  encode(node: Node): Buffer {
    const { key, counter } = this.#writing;
    this.#writing.counter += 1;
    const plain = this.#library.encodeBinaryNode(node);
    return framed(this.#library.aesEncryptGCM(plain, key, ivOf(counter), NOTHING));
  }

  *#frames(): Generator<Buffer> {
    if (!this.#hasIntro && this.#bytes.length >= 4) {
      this.#bytes = this.#bytes.subarray(this.#library.NOISE_WA_HEADER.length);
      this.#hasIntro = true;
    }
    while (this.#bytes.length >= 3) {
      const length = this.#bytes.readUIntBE(0, 3);
      if (this.#bytes.length < length + 3) return;
      const frame = this.#bytes.subarray(3, length + 3);
      this.#bytes = this.#bytes.subarray(length + 3);
      yield frame;
    }
  }

  #hello(frame: Buffer): Buffer {
    const { Curve, proto } = this.#library;
    const hello = proto.HandshakeMessage.decode(frame).clientHello;
    if (!hello) throw new Error('No hello');
    const own = Curve.generateKeyPair();
    this.#mix(hello.ephemeral);
    this.#mix(this.#ephemeral.public);
    this.#mixKey(Curve.sharedKey(this.#ephemeral.private, hello.ephemeral));
    const sealed = this.#seal(own.public);
    this.#mixKey(Curve.sharedKey(own.private, hello.ephemeral));
    const payload = this.#seal(this.#certificates(own));
    this.#stage = 'finish';
    const serverHello = { ephemeral: this.#ephemeral.public, static: sealed, payload };
    return framed(proto.HandshakeMessage.encode({ serverHello }).finish());
  }

  #finish(frame: Buffer): ClientPayload {
    const { Curve, proto, hkdf } = this.#library;
    const finish = proto.HandshakeMessage.decode(frame).clientFinish;
    if (!finish) throw new Error('No finish');
    const client = this.#unseal(finish.static);
    this.#mixKey(Curve.sharedKey(this.#ephemeral.private, client));
    const payload = this.#unseal(finish.payload);
    const keys = Buffer.from(hkdf(NOTHING, 64, { salt: this.#salt, info: '' }));
    this.#reading.key = keys.subarray(0, 32);
    this.#writing.key = keys.subarray(32);
    this.#stage = 'open';
    return proto.ClientPayload.decode(payload);
  }

  #certificates(own: KeyPair): Uint8Array {
    const { Curve, proto } = this.#library;
    const { Details } = proto.CertChain.NoiseCertificate;
    const between = Curve.generateKeyPair();
    const [leaf, intermediate] = [
      Details.encode({ serial: 2, issuerSerial: 1, key: own.public }).finish(),
      Details.encode({ serial: 1, issuerSerial: 0, key: between.public }).finish(),
    ];
    return proto.CertChain.encode({
      leaf: { details: leaf, signature: Curve.sign(between.private, leaf) },
      intermediate: { details: intermediate, signature: Curve.sign(this.#root.private, intermediate) },
    }).finish();
  }

  #mix(data: Uint8Array): void {
    this.#hash = this.#library.sha256(Buffer.concat([this.#hash, data]));
  }

  #mixKey(data: Uint8Array): void {
    const keys = Buffer.from(this.#library.hkdf(Buffer.from(data), 64, { salt: this.#salt, info: '' }));
    this.#salt = keys.subarray(0, 32);
    this.#key = keys.subarray(32);
    this.#counter = 0;
  }

  #seal(plain: Uint8Array): Buffer {
    const sealed = this.#library.aesEncryptGCM(plain, this.#key, ivOf(this.#counter++), this.#hash);
    this.#mix(sealed);
    return sealed;
  }

  #unseal(sealed: Uint8Array): Buffer {
    const plain = this.#library.aesDecryptGCM(Buffer.from(sealed), this.#key, ivOf(this.#counter++), this.#hash);
    this.#mix(sealed);
    return plain;
  }
}
