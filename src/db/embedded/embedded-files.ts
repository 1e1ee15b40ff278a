/** The files of the embedded database, with a real fsync: NODEFS has none, and PGlite keeps running after a PANIC. */
import fs from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { syncFolder } from './sync-files.ts';

type Options = Parameters<NodeFS['init']>[1];

/** The used part of NODEFS, which has no types. */
interface NodeMount {
  realPath(node: Node): string;
  /** Turns a Node error into the errno that PostgreSQL gets. */
  tryFSOperation<Result>(operation: () => Result): Result;
  readonly node_ops: { mknod(parent: Node, name: string, mode: number, device: number): Node };
  readonly stream_ops: { fsync?(stream: { readonly node: Node; readonly nfd?: number }): number };
}

interface Node {
  readonly name: string;
  readonly parent: Node;
}

/** @throws Error if another release of PGlite has no NODEFS to amend */
function mountOf(fileSystem: object): NodeMount {
  const has = (value: object): value is { filesystems: { NODEFS: NodeMount } } =>
    'filesystems' in value && Object.hasOwn(Object(value.filesystems), 'NODEFS');
  if (!has(fileSystem)) throw new Error('PGlite has no NODEFS');
  return fileSystem.filesystems.NODEFS;
}

/** Errors of a disk that cannot store data. */
const DISK_FAULTS: ReadonlySet<string> = new Set(['EIO', 'ENOSPC', 'EDQUOT', 'EROFS']);

/** A folder of this machine whose syncs reach the disk. */
export class EmbeddedFiles extends NodeFS {
  /** The last such error of the disk, as an errno name; null: none. */
  diskFault: string | null = null;
  /** Called after a PANIC of PostgreSQL. Do not query it again: it would never answer. */
  onBroken: () => void = () => undefined;

  /** Prepares PGlite's module to use these files. */
  override async init(pglite: PGlite, options: Options): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pglite, options);
    const preRun: Options['preRun'] = [...(emscriptenOpts.preRun ?? []), ({ FS }) => this.#amend(mountOf(FS))];
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
    // Folders with new names. PostgreSQL relies on the file system to keep the name of a new table file.
    const grown = new Set<string>();
    const { mknod } = mount.node_ops;
    mount.node_ops.mknod = (parent, ...rest) => {
      grown.add(mount.realPath(parent));
      return mknod(parent, ...rest);
    };
    mount.stream_ops.fsync = ({ node, nfd }) =>
      mount.tryFSOperation(() => {
        const folder = mount.realPath(node.parent);
        // NODEFS opens files only, so this is a folder.
        if (nfd === undefined) syncFolder(mount.realPath(node));
        // WAL segments are created in full size, so their metadata does not change (PostgreSQL does the same on Linux).
        else if (node.parent.name === 'pg_wal') fs.fdatasyncSync(nfd);
        else fs.fsyncSync(nfd);
        if (grown.has(folder)) syncFolder(folder);
        grown.delete(folder);
        return 0;
      });
  }
}
