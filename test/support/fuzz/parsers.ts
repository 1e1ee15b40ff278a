/** The parsers of bytes that others wrote, and the targets that search each; a test compares the table with the sources. */

/** The sources whose parsers read bytes of strangers, callers and providers. Settings are the operator's, rows our own. */
export const PARSER_SOURCES = [
  'src/channels/**/*.ts',
  'src/graphql/{,server/}*.ts',
  'src/kernel/*.ts',
  'src/rest/**/*.ts',
];

/** How the name of a parser begins. */
export const PARSER = /^export (?:async )?function ((?:decode|parse|read)[A-Z]\w*)/gm;

/** The targets of each parser, by its file and name; a sentence where it has none. */
export const PARSERS: Readonly<Record<string, readonly string[] | string>> = {
  'channels/chat-qr/driver/inbound.ts readInbound': 'The library has read the bytes, in a process of its own.',
  'channels/http-sms/pattern.ts readPattern': ['http-sms-config', 'http-sms-place'],
  'channels/http-sms/place.ts readPlace': ['http-sms-place'],
  'channels/http-sms/template.ts readJsonTemplate': ['http-sms-config'],
  'channels/http-sms/template.ts readTemplate': ['http-sms-config'],
  'channels/http/answer.ts readAs': 'A schema of zod reads what the language has parsed.',
  'channels/http/base-url.ts readBaseUrl': 'The language reads the URL, which the operator gives.',
  'channels/smpp/codec/pdu.ts decodePdu': ['smpp-framer', 'smpp-receipt', 'smpp-inbound'],
  'channels/smpp/inbound.ts readInbound': ['smpp-inbound'],
  'channels/smpp/receipt.ts readReceipt': ['smpp-receipt'],
  'channels/smpp/text.ts decodeGsm7': ['gsm-bytes', 'gsm-text'],
  'graphql/guards.ts parseDocument': ['graphql-document'],
  'graphql/server/trusted-documents.ts readTrustedDocuments': 'The operator writes the file.',
  'kernel/cursor.ts decodeCursor': ['cursor'],
  'kernel/ids.ts parseId': 'One pattern of a fixed length.',
  'kernel/phone.ts parsePhone': ['phone-number'],
  'rest/doors/door.ts readForm': 'The language decodes the bytes and splits the form.',
  'rest/json-body.ts decodeJsonText': 'The language decodes the bytes.',
  'rest/json-body.ts parseJsonObject': ['json-body'],
  'rest/json-body.ts readBytes': 'It counts bytes and looks at none.',
  'rest/json-body.ts readJsonText': 'The language decodes the bytes.',
};

/** The targets of what a provider reads that comes over HTTP: receipts, and what people write. */
export const PROVIDER_TARGETS: Readonly<Record<string, readonly string[]>> = {
  'http-sms': ['http-sms-receipt', 'http-sms-inbound'],
  twilio: ['twilio-receipt', 'twilio-inbound'],
  vonage: ['vonage-receipt', 'vonage-inbound'],
  'whatsapp-cloud': ['whatsapp-callback'],
};
