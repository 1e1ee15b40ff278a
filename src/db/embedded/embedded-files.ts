/**
 * The files of the embedded database. PGlite's own have no sync (Emscripten's NODEFS leaves it out, and what is asked for
 * succeeds without being done), and go on after PostgreSQL has given itself up.
 */
import fs from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { syncFolder } from './sync-files.ts';

type Options = Parameters<NodeFS['init']>[1];

/** What of NODEFS is used; it has no types of its own. */
interface NodeMount {
  realPath(node: Node): string;
  /** Turns what Node throws into the number that PostgreSQL is told. */
  tryFSOperation<Result>(operation: () => Result): Result;
  readonly node_ops: { mknod(parent: Node, name: string, mode: number, device: number): Node };
  readonly stream_ops: { fsync?(stream: { readonly node: Node; readonly nfd?: number }): number };
}

interface Node {
  readonly name: string;
  readonly parent: Node;
}

/** What a disk answers that cannot take what is to be kept. */
const DISK_FAULTS: ReadonlySet<string> = new Set(['EIO', 'ENOSPC', 'EDQUOT', 'EROFS']);

/** A folder of this machine, whose syncs are real. */
export class EmbeddedFiles extends NodeFS {
  /** What the disk answered last that it should not have, as the system names it. */
  diskFault: string | null = null;
  /** Called where PostgreSQL has given itself up (PANIC). Nothing may be asked of it any more: it would never answer. */
  onBroken: () => void = () => undefined;

  /** Prepares PGlite's module to use these files. */
  override async init(pglite: PGlite, options: Options): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pglite, options);
    const preRun: Options['preRun'] = [
      ...(emscriptenOpts.preRun ?? []),
      module => this.#amend((module.FS as unknown as { filesystems: { NODEFS: NodeMount } }).filesystems.NODEFS),
    ];
    return { emscriptenOpts: { ...emscriptenOpts, preRun, onAbort: () => this.onBroken() } };
  }

  #amend(mount: NodeMount): void {
    const tryOperation = mount.tryFSOperation;
    mount.tryFSOperation = operation =>
      tryOperation(() => {
        try {
          return operation();
        } catch (error) {
          const code = error instanceof Error && 'code' in error ? String(error.code) : '';
          if (DISK_FAULTS.has(code)) this.diskFault = code;
          throw error;
        }
      });
    // Folders in which a name is new. PostgreSQL leaves it to the file system that a table's file keeps its name.
    const grown = new Set<string>();
    const { mknod } = mount.node_ops;
    mount.node_ops.mknod = (parent, ...rest) => {
      grown.add(mount.realPath(parent));
      return mknod(parent, ...rest);
    };
    mount.stream_ops.fsync = ({ node, nfd }) =>
      mount.tryFSOperation(() => {
        const folder = mount.realPath(node.parent);
        // NODEFS opens files only.
        if (nfd === undefined) syncFolder(mount.realPath(node));
        // As PostgreSQL does on Linux: segments of the log are written whole when they are made, so only their bytes are new.
        else if (node.parent.name === 'pg_wal') fs.fdatasyncSync(nfd);
        else fs.fsyncSync(nfd);
        if (grown.has(folder)) syncFolder(folder);
        grown.delete(folder);
        return 0;
      });
  }
}
