/** The memory that a process takes of the machine. */
import { existsSync, readFileSync } from 'node:fs';

/** The resident memory of a process, in bytes; 0 where the system does not tell. @throws Error where the process has ended */
export function residentBytes(pid: number | undefined): number {
  if (!existsSync('/proc/self/status')) return 0;
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
}
