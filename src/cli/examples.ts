/** Examples of every command, which its help ends with. */

/** Ids as they look. */
const ACCOUNT = 'acc_01a2018440937783af1a5b1f9c0d2e3f';
const CONNECTION = 'con_01a2018440937783af1a5b1f9c0d2e3f';
const ENDPOINT = 'whk_01a2018440937783af1a5b1f9c0d2e3f';
const DELIVERY = 'dlv_01a2018440937783af1a5b1f9c0d2e3f';
const MESSAGE = 'msg_01a2018440937783af1a5b1f9c0d2e3f';
const RULE = 'alr_01a2018440937783af1a5b1f9c0d2e3f';
const PIN = 'pin_95960de363d2af3f7aaeae8cc243be2d';

/** By the words of the command: its arguments and options in each example. */
export const EXAMPLES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  status: ['', '--profile production'],
  open: [''],
  login: ['https://gateway.example.com --profile production'],
  'profile list': [''],
  'profile remove': ['production'],
  demo: ['', '--json'],
  migrate: [''],
  'account create': ['Bookshop', 'Bookshop --json'],
  'account list': [''],
  'account set': [
    `${ACCOUNT} --unified-api on --plan-expires 2027-01-31`,
    `${ACCOUNT} --rate-limit none`,
    `${ACCOUNT} --require-second-factor on`,
  ],
  'balance show': [ACCOUNT],
  'balance add': [`${ACCOUNT} 500 --reason 'Invoice 18' --reference invoice-18`, `${ACCOUNT} -20 --reason Correction`],
  'balance set': [`${ACCOUNT} --low 50 --daily-cap 1000`],
  'balance ledger': [`${ACCOUNT} --limit 20`, `${ACCOUNT} --kind adjustment`],
  'balance check': [''],
  'token create': [`${ACCOUNT} --area unified`, `${ACCOUNT} --area otp --name "Shop server" --expires 2027-01-31`],
  'token list': ['', ACCOUNT],
  'token rename': [`tok_01a2018440937783af1a5b1f9c0d2e3f 'Shop server'`],
  'token revoke': ['tok_01a2018440937783af1a5b1f9c0d2e3f --yes'],
  'user invite': [
    '--email ada@example.com --role owner',
    `--account ${ACCOUNT} --email grace@example.com --role viewer`,
  ],
  'user list': ['', ACCOUNT],
  'user take-factor': ['usr_01a2018440937783af1a5b1f9c0d2e3f --yes'],
  'user remove': ['usr_01a2018440937783af1a5b1f9c0d2e3f --yes'],
  'sender add': [`${ACCOUNT} BOOKS`, `${ACCOUNT} +15550100199 --channel chat_qr`],
  'sender approve': [`${ACCOUNT} BOOKS`],
  'sender list': [ACCOUNT],
  'sender rule set': ['PR --alphanumeric replaced --number 15550100199', 'CN --alphanumeric refused'],
  'sender rule list': [''],
  'sender rule remove': ['PR --yes'],
  'connection add': [
    `${ACCOUNT} --provider twilio --channel sms --name Twilio --config '{"accountSid":"…","authToken":"…"}'`,
    `shared --provider smpp --channel sms --name SMSC --config '{"host":"127.0.0.1","port":2775,"systemId":"…","password":"…"}' --countries US,CA`,
  ],
  'connection list': ['', ACCOUNT],
  'connection set': [`${CONNECTION} --priority 10 --countries US,CA`, `${CONNECTION} --pause`],
  'connection test': [`${CONNECTION} --to +12025550123`],
  'connection renew-receipts': [`${CONNECTION} --yes`],
  'connection remove': [`${CONNECTION} --yes`],
  'otp send': ['--to +12025550100', "--to +12025550100 --length 4 --template 'Your code: {{code}}'"],
  'otp verify': [`${PIN} 482915`],
  'otp settings': [ACCOUNT],
  'otp set': [`${ACCOUNT} --countries US,CA --fraud block`, `${ACCOUNT} --sends-per-hour 3`],
  'otp template': [`${ACCOUNT} 15550000002 sign_in en_US`],
  send: [
    "--to +12025550100 --text 'Your parcel is here.' --channels sms --sender DEMO",
    "--to +12025550100 --text 'Your parcel is here.' --channels chat_qr,sms --chat-from 15550000001 --sender DEMO --dry-run",
  ],
  'message show': [MESSAGE, 'order-1042 --json'],
  logs: [
    '--limit 20 --status failed',
    '--error-code recipient_refused --since 1h',
    '--to +12025550100 --since 2026-11-21 --until 2026-11-22',
    '--follow --channel sms',
  ],
  'inbox list': ['', '--to +12025550100'],
  'inbox wait': ['--to +12025550100', '--to +12025550100 --code --timeout 60'],
  'webhooks list': ['', '--page 2'],
  'webhooks create': [
    "https://shop.example.com/hook --events 'message.sent,message.failed'",
    "https://shop.example.com/hook --events '*'",
  ],
  'webhooks update': [`${ENDPOINT} --events otp.sent,otp.failed`, `${ENDPOINT} --url https://shop.example.com/events`],
  'webhooks pause': [ENDPOINT],
  'webhooks resume': [ENDPOINT],
  'webhooks enable': [ENDPOINT],
  'webhooks delete': [`${ENDPOINT} --yes`],
  'webhooks rotate': [ENDPOINT],
  'webhooks deliveries': [`${ENDPOINT} --status dead --limit 20`, `${ENDPOINT} --follow`],
  'webhooks delivery': [DELIVERY],
  'webhooks redeliver': [DELIVERY, `--endpoint ${ENDPOINT} --since 1d`],
  'webhooks recover': [`${ENDPOINT} --since 2h`],
  'webhooks test': [`${ENDPOINT} --event message.failed`],
  'webhooks listen': [
    '--forward http://127.0.0.1:3000/hook',
    '--forward http://127.0.0.1:3000/hook --events message.sent',
  ],
  trigger: ['message.sent', `otp.failed --endpoint ${ENDPOINT}`],
  'alert list': [''],
  'alert add': [
    '--kind balance_low --threshold 1000 --mail ops@example.com',
    '--kind connection_down --lasting 5 --slack-url https://hooks.slack.com/services/T0/B0/x',
  ],
  'alert set': [`${RULE} --threshold 500 --quiet 120`, `${RULE} --pause`],
  'alert test': [RULE],
  'alert remove': [`${RULE} --yes`],
  requests: ['--status 4xx --since 1h', `${ACCOUNT} --code rate_limited`],
  'audit list': ['--limit 20', `${ACCOUNT} --action token.created`],
  'key forget': ['798b70fa --yes'],
  doctor: ['', '--json'],
  completion: ['bash', 'zsh'],
  help: ['send', 'connection add'],
};
