/** The page where there is nothing to read. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Command } from '../../ui/copy/command.tsx';
import { Empty } from '../../ui/feedback.tsx';
import { sendLink } from '../../ui/send-link.ts';

/** No phone received anything yet: what to run in the folder of the gateway, as it stands. */
export function NoPhones(): ReactNode {
  const body = JSON.stringify({ to: '+12025550100', text: 'Hello', channels: ['sms'], sender: 'DEMO' });
  const token = `$(node -p "JSON.parse(require('fs').readFileSync('.data/demo.json')).tokens.unified")`;
  const curl = [
    `curl -s ${location.origin}/api/omni/send`,
    `-H "Authorization: Bearer ${token}"`,
    `-H 'Content-Type: application/json'`,
    `-d '${body}'`,
  ].join(' \\\n  ');
  return (
    <Empty title="No phone has received anything yet">
      <p>
        <Link to={sendLink({ to: '+12025550100', text: 'Hello' })}>Send a message</Link> to any number, or run this in
        the folder of the gateway, and it shows here at once.
      </p>
      <Command command={curl} />
    </Empty>
  );
}

/** The sandbox does not answer. */
export function SandboxOff(): ReactNode {
  return (
    <Empty title="The sandbox is off here">
      <p>
        It has no phones, and every send goes to a real provider. Start the gateway with <code>SANDBOX=on</code> to have
        it; with <code>NODE_ENV=production</code> it is off unless that is set.
      </p>
    </Empty>
  );
}
