/**
 * For a gateway's process, by `--import`: a disk that answers EIO to every sync of the embedded database's log, from when the file
 * that `FAILING_DISK` names is there.
 */
import fs from 'node:fs';

const { fdatasyncSync } = fs;
const sign = process.env.FAILING_DISK ?? '';

fs.fdatasyncSync = handle => {
  if (fs.existsSync(sign))
    throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', syscall: 'fdatasync' });
  fdatasyncSync(handle);
};
