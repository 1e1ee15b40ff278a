/** `open`. */
import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { readConfig } from '../../../config.ts';
import { findGateway } from '../../../db/data-dir/announcement.ts';
import { addBareCommand, outputOf } from '../../command.ts';
import { profileOf } from '../../gateway/profiles.ts';
import { PROGRAM } from '../../help.ts';
import { Refusal } from '../../refusal.ts';

/** Commands that open an address, by operating system; the others have `xdg-open`. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Adds the command that opens the dashboard. The address is printed, and on a terminal a browser is opened, too. */
export function addOpenCommand(program: Command): void {
  const open = 'open the dashboard in a browser, and print its address';
  addBareCommand(program, 'open', open, {}).action(async (_options: object, command: Command) => {
    const { profile } = command.optsWithGlobals<{ readonly profile?: string }>();
    const gateway = profile === undefined ? await findGateway(readConfig().dataDir) : profileOf(profile);
    if (!gateway) throw new Refusal(null, `No gateway runs here. Start one: ${PROGRAM} start`);
    const url = `${gateway.url}/dashboard`;
    outputOf(command).show({ url }, () => url);
    if (process.stdout.isTTY) await openBrowser(url);
  });
}

/** Opens a browser; none is no failure, since the address was printed. */
async function openBrowser(url: string): Promise<void> {
  const [command = 'xdg-open', ...words] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...words, url], { stdio: 'ignore', detached: true });
  await new Promise<void>(resolve => child.once('error', () => resolve()).once('spawn', resolve));
  child.unref();
}
