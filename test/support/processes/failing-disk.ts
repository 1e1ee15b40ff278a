/**
 * Loaded into a gateway's process by `--import`: every sync of the embedded database's log fails with EIO once the file that
 * `FAILING_DISK` names exists.
 */
import fs from 'node:fs';

const { fdatasyncSync } = fs;
const sign = process.env.FAILING_DISK ?? '';

fs.fdatasyncSync = handle => {
  if (fs.existsSync(sign))
    throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', syscall: 'fdatasync' });
  fdatasyncSync(handle);
};
