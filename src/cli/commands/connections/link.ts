/** `connection link` and `connection unlink`: the phone of a QR-linked chat. */
import type { Command } from 'commander';
import encodeQR from 'qr';
import { addCommand, type Session } from '../../command.ts';
import { endOfFollowing } from '../../interrupt.ts';
import { type LinkStepData, OPERATIONS } from '../../operations/operations.generated.ts';
import { option, type ValuesOf } from '../../options.ts';
import { Refusal } from '../../refusal.ts';
import type { Screen } from '../../table.ts';
import { confirmed } from '../../terminal/confirm.ts';

const METHODS = { qr: 'QR', code: 'PAIRING_CODE' } as const;

const LINK = {
  method: option(
    '<method>',
    'by a picture that the phone scans, or a code that is typed into it; qr where it is not given',
    ['qr', 'code'],
  ),
  acceptRisks: option('<your name>', 'accept that WhatsApp may ban the number, for good; needed once, and audited'),
};

/** Adds the commands. */
export function addLinkCommands(group: Command): void {
  const link = 'link the phone of a QR-linked chat: shows its codes until the phone has taken one';
  addCommand(group, 'link <connectionId>', link, LINK, (session, connectionId: string) =>
    linkPhone(session, connectionId, session.options),
  );
  const unlink = 'end the session of a linked number: its phone is told, and its keys are forgotten';
  const unlinking = addCommand(group, 'unlink <connectionId>', unlink, {}, async (session, id: string) => {
    const { connectionId } = await session.operator.run(OPERATIONS.unlinkConnection, { connectionId: id });
    session.out.show({ connectionId }, () => `The number of ${connectionId} is not linked any more.`);
  });
  confirmed(unlinking, { question: id => `Unlink the number of ${id}, which sends nothing until it is linked again` });
}

async function linkPhone(
  { operator, out }: Session,
  connectionId: string,
  { method = 'qr', acceptRisks }: ValuesOf<typeof LINK>,
): Promise<void> {
  if (operator.place === 'process')
    throw new Refusal(null, 'No gateway runs that would hold the session: start it first, then link the phone.');
  if (acceptRisks !== undefined)
    await operator.run(OPERATIONS.acceptChatRisks, { input: { connectionId, name: acceptRisks } });
  const signal = endOfFollowing();
  const variables = { connectionId, method: METHODS[method] };
  const leftOut = (): void => undefined;
  try {
    const steps = await operator.follow(OPERATIONS.linkConnection, variables, undefined, { signal, leftOut });
    for await (const step of steps) {
      if (step.state === 'failed') throw new Refusal(null, step.error ?? 'The phone was not linked.');
      out.show(step, (_step, screen) => drawn(step, screen));
      if (step.state === 'linked') return;
    }
  } catch (error) {
    throw await withRisks(error, `connection link ${connectionId}${method === 'code' ? ' --method code' : ''}`);
  }
}

/** The refusal of a number whose risks nobody has accepted tells them, and the command that accepts them. */
async function withRisks(error: unknown, command: string): Promise<unknown> {
  if (!(error instanceof Refusal && error.message.includes('acceptChatRisks'))) return error;
  const { RISKS } = await import('../../../modules/chat-sessions/linking/link-connection.ts');
  const message = `Nobody has accepted the risks of this number. ${RISKS}`;
  return new Refusal(error.code, message, error, [], `${command} --accept-risks '<your name>'`);
}

function drawn({ state, code, secondsLeft }: LinkStepData, screen: Screen): string {
  if (state === 'linked') return 'The phone is linked. The number sends from now on.';
  if (code === null) return '';
  const way = 'On the phone: WhatsApp, Linked devices, Link a device';
  const good = `good for ${secondsLeft ?? 0} s; another one follows by itself`;
  return code.length <= TYPED_MAX
    ? `${way}, Link with phone number instead. Then type (${good}):\n\n  ${code.replaceAll(/(.{4})(?=.)/g, '$1-')}\n`
    : `${pictureOf(code, screen)}\n${way}, and hold the phone before this (${good}).`;
}

/** The picture in half lines, so that it fits a window of 80 characters: light on dark, whatever the colours of the terminal. */
function pictureOf(code: string, screen: Screen): string {
  const lines = encodeQR(code, 'ascii', { ecc: 'low' }).trimEnd().split('\n');
  return lines.map(line => screen.paint('bgBlack', screen.paint('whiteBright', line))).join('\n');
}

/** A code that is typed has eight characters; what a picture says has many more. */
const TYPED_MAX = 16;
