/**
 * A disk whose power can be lost: of everything below a folder it remembers what was synced, and nothing else. The loss is as
 * bad as POSIX allows: a file has the bytes, and a folder the names, of its last sync. One that was never synced is empty.
 */
import fs from 'node:fs';
import { join } from 'node:path';

/** A folder that is watched. */
export interface WatchedDisk {
  readonly folder: string;
  /** Writes into `to` what would be there if power were lost now. */
  losePower(to: string): void;
  /** Watches no longer. */
  release(): void;
}

/** Why such a disk cannot be had here; null where it can. */
export const NO_WATCHED_DISK = fs.existsSync('/proc/self/fd')
  ? null
  : 'Left out: losing power is told from /proc/self/fd, which this system has not.';

type Names = ReadonlyMap<string, { readonly inode: number; readonly isFolder: boolean }>;

/** Watches what this process syncs below a new folder of `base`, an empty folder that holds what was synced too. */
export function watchDisk(base: string): WatchedDisk {
  const folder = join(base, 'disk');
  const bytes = join(base, 'bytes');
  const pins = join(base, 'pins');
  for (const one of [folder, bytes, pins]) fs.mkdirSync(one);
  const names = new Map<number, Names>([[fs.statSync(folder).ino, new Map()]]);
  const { fsyncSync, fdatasyncSync } = fs;

  // A second name keeps the inode from being given to a file that was not synced.
  const pin = (path: string, inode: number): void => {
    const name = join(pins, String(inode));
    if (!fs.existsSync(name)) fs.linkSync(path, name);
  };
  const remember = (handle: number): void => {
    const link = `/proc/self/fd/${handle}`;
    const path = fs.readlinkSync(link);
    if (path !== folder && !path.startsWith(`${folder}/`)) return;
    const stat = fs.fstatSync(handle);
    if (!stat.isDirectory()) {
      pin(path, stat.ino);
      fs.copyFileSync(link, join(bytes, String(stat.ino)));
      return;
    }
    const found = fs.readdirSync(path).map(name => ({ name, ...inodeOf(join(path, name)) }));
    for (const { name, inode, isFolder } of found) if (!isFolder) pin(join(path, name), inode);
    names.set(stat.ino, new Map(found.map(({ name, inode, isFolder }) => [name, { inode, isFolder }])));
  };
  fs.fsyncSync = handle => {
    fsyncSync(handle);
    remember(handle);
  };
  fs.fdatasyncSync = handle => {
    fdatasyncSync(handle);
    remember(handle);
  };

  const write = (inode: number, to: string): void => {
    fs.mkdirSync(to, { mode: 0o700 });
    for (const [name, entry] of names.get(inode) ?? []) {
      const path = join(to, name);
      const content = join(bytes, String(entry.inode));
      if (entry.isFolder) write(entry.inode, path);
      else if (fs.existsSync(content)) fs.copyFileSync(content, path);
      else fs.writeFileSync(path, '');
      if (!entry.isFolder) fs.chmodSync(path, 0o600);
    }
  };
  return {
    folder,
    losePower: to => write(fs.statSync(folder).ino, to),
    release: () => void Object.assign(fs, { fsyncSync, fdatasyncSync }),
  };
}

function inodeOf(path: string): { inode: number; isFolder: boolean } {
  const stat = fs.lstatSync(path);
  return { inode: stat.ino, isFolder: stat.isDirectory() };
}
