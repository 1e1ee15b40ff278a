/** The commands of SMPP 3.4 that an ESME sends and gets, and their fields ("Short Message Peer to Peer Protocol Specification v3.4", §4 and §5). */

/** A fixed field: one byte, a text that ends with NUL (by its longest length, the NUL included), or the message with its length. */
export type FieldKind = 'u8' | number | 'message';

type Fields = Readonly<Record<string, FieldKind>>;

const BIND = {
  system_id: 16,
  password: 9,
  system_type: 13,
  interface_version: 'u8',
  addr_ton: 'u8',
  addr_npi: 'u8',
  address_range: 41,
} as const satisfies Fields;

const SHORT_MESSAGE = {
  service_type: 6,
  source_addr_ton: 'u8',
  source_addr_npi: 'u8',
  source_addr: 21,
  dest_addr_ton: 'u8',
  dest_addr_npi: 'u8',
  destination_addr: 21,
  esm_class: 'u8',
  protocol_id: 'u8',
  priority_flag: 'u8',
  schedule_delivery_time: 17,
  validity_period: 17,
  registered_delivery: 'u8',
  replace_if_present_flag: 'u8',
  data_coding: 'u8',
  sm_default_msg_id: 'u8',
  short_message: 'message',
} as const satisfies Fields;

const DATA = {
  service_type: 6,
  source_addr_ton: 'u8',
  source_addr_npi: 'u8',
  source_addr: 65,
  dest_addr_ton: 'u8',
  dest_addr_npi: 'u8',
  destination_addr: 65,
  esm_class: 'u8',
  registered_delivery: 'u8',
  data_coding: 'u8',
} as const satisfies Fields;

/** The number of each command, and its fixed fields in their order. */
export const COMMANDS = {
  bind_receiver: [0x00000001, BIND],
  bind_receiver_resp: [0x80000001, { system_id: 16 }],
  bind_transmitter: [0x00000002, BIND],
  bind_transmitter_resp: [0x80000002, { system_id: 16 }],
  bind_transceiver: [0x00000009, BIND],
  bind_transceiver_resp: [0x80000009, { system_id: 16 }],
  submit_sm: [0x00000004, SHORT_MESSAGE],
  submit_sm_resp: [0x80000004, { message_id: 65 }],
  deliver_sm: [0x00000005, SHORT_MESSAGE],
  deliver_sm_resp: [0x80000005, { message_id: 65 }],
  data_sm: [0x00000103, DATA],
  data_sm_resp: [0x80000103, { message_id: 65 }],
  enquire_link: [0x00000015, {}],
  enquire_link_resp: [0x80000015, {}],
  unbind: [0x00000006, {}],
  unbind_resp: [0x80000006, {}],
  generic_nack: [0x80000000, {}],
} as const satisfies Readonly<Record<string, readonly [number, Fields]>>;

/** The name of a command. */
export type Command = keyof typeof COMMANDS;

type Value<Kind> = Kind extends 'u8' ? number : Kind extends 'message' ? Buffer : string;

/** The fixed fields of a command. */
export type FieldsOf<Of extends Command> = {
  -readonly [Name in keyof (typeof COMMANDS)[Of][1]]: Value<(typeof COMMANDS)[Of][1][Name]>;
};

/** The bit of a command's number by which it is an answer. */
export const ANSWER_BIT = 0x80000000;

/** The head of a PDU: its length, command, status and sequence number, four bytes each. */
export const HEAD_BYTES = 16;

/** The longest PDU: the largest optional parameter (64 KiB) beside all else. One that says that it is longer is a fault of the framing. */
export const PDU_BYTES_MAX = 16_384 + 65_536;

/** The most bytes of `short_message` (§5.2.22). */
export const SHORT_MESSAGE_BYTES_MAX = 254;

/** Tags of optional parameters (§5.3.2). */
export const TAGS = {
  receipted_message_id: 0x001e,
  sar_msg_ref_num: 0x020c,
  sar_total_segments: 0x020e,
  sar_segment_seqnum: 0x020f,
  network_error_code: 0x0423,
  message_payload: 0x0424,
  message_state: 0x0427,
} as const;
