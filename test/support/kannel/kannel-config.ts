/** Kannel's configuration. */

/** The ports that its parts listen on. */
export interface Ports {
  readonly admin: number;
  /** The port where smsbox finds bearerbox. */
  readonly smsbox: number;
  /** The port where smsbox takes messages by HTTP. */
  readonly sendsms: number;
}

/** An SMSC that is asked by SMPP, on 127.0.0.1. */
export interface SmppPeer {
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

const SAYS_NOTHING = `text = "No service specified"`;

/** Brings the messages of people to an address, and answers nobody. */
const broughtTo = (url: string): string => `get-url = "${url}?from=%p&to=%P&text=%b&id=%I"
max-messages = 0`;

/**
 * A bearerbox with one SMSC, whose queues are without a limit and are kept in the folder `spool`; and a smsbox with one user.
 * @param inboundUrl the address that the messages of people are brought to; absent: none
 */
export function kannelConfig(
  ports: Ports,
  smsc: SmppPeer,
  user: { username: string; password: string },
  spool: string,
  inboundUrl?: string,
): string {
  return `group = core
admin-port = ${ports.admin}
admin-interface = 127.0.0.1
smsbox-port = ${ports.smsbox}
smsbox-interface = 127.0.0.1
admin-password = adminpw
box-deny-ip = "*.*.*.*"
box-allow-ip = "127.0.0.1"
dlr-storage = internal
sms-resend-retry = 0
store-type = spool
store-location = "${spool}"
sms-incoming-queue-limit = -1
sms-outgoing-queue-limit = 1000000

group = smsc
smsc = smpp
smsc-id = node1
interface-version = 34
host = 127.0.0.1
port = ${smsc.port}
transceiver-mode = true
max-pending-submits = 500
smsc-username = "${smsc.user}"
smsc-password = "${smsc.password}"
system-type = "VMA"
address-range = ""
throughput = 0
enquire-link-interval = 30
reconnect-delay = 3
msg-id-type = 0

group = smsbox
bearerbox-host = 127.0.0.1
bearerbox-port = ${ports.smsbox}
sendsms-port = ${ports.sendsms}
sendsms-interface = 127.0.0.1
sendsms-chars = "0123456789 +-"
${inboundUrl === undefined ? 'global-sender = 12345' : 'mo-recode = true'}
http-request-retry = 0

group = sendsms-user
username = ${user.username}
password = ${user.password}
user-allow-ip = "127.0.0.1"
user-deny-ip = "*.*.*.*"
max-messages = 10
concatenation = true

group = sms-service
keyword = default
${inboundUrl === undefined ? SAYS_NOTHING : broughtTo(inboundUrl)}
`;
}
