/** The kinds of messages that people send, as `messageChange` takes them. */

/** A message of a person, without who wrote it. */
export type Said = Readonly<Record<string, unknown>> & { readonly type: string };

const file = {
  mime_type: 'image/jpeg',
  sha256: 'SfInY0gGKTsJlUWbwxC1k+FAD0FZHvzwfpvO0zX0GUI=',
  id: '1003383421387256',
};

/** A text. */
export function text(body: string): Said {
  return { type: 'text', text: { body } };
}

/** A picture. @param caption absent: it has none */
export function image(caption?: string): Said {
  return { type: 'image', image: { ...(caption === undefined ? {} : { caption }), ...file } };
}

/** A video. @param caption absent: it has none */
export function video(caption?: string): Said {
  return { type: 'video', video: { ...(caption === undefined ? {} : { caption }), ...file, mime_type: 'video/mp4' } };
}

/** A recording of a voice. */
export function audio(): Said {
  return { type: 'audio', audio: { ...file, mime_type: 'audio/ogg; codecs=opus', voice: true } };
}

/** A file. */
export function document(filename: string, caption?: string): Said {
  const captioned = caption === undefined ? {} : { caption };
  return { type: 'document', document: { ...captioned, filename, ...file, mime_type: 'application/pdf' } };
}

/** A sticker. */
export function sticker(): Said {
  return { type: 'sticker', sticker: { ...file, mime_type: 'image/webp', animated: false } };
}

/** A place with a name. */
export function location(name: string): Said {
  const place = { address: '101 Forest Ave, Palo Alto, CA 94301', latitude: 37.442_214, longitude: -122.161_659, name };
  return { type: 'location', location: place };
}

/** A place without a name, as a phone shares where it is. */
export function position(): Said {
  return { type: 'location', location: { latitude: 37.442_214, longitude: -122.161_659 } };
}

/** Somebody's card. */
export function contacts(number: string): Said {
  const name = { formatted_name: 'Barbara J. Johnson', first_name: 'Barbara', last_name: 'Johnson' };
  return { type: 'contacts', contacts: [{ name, phones: [{ phone: `+${number}`, wa_id: number, type: 'MOBILE' }] }] };
}

/** A tap on a button of a template; `quotes` names the message with the button. */
export function button(label: string, payload: string = label): Said {
  return { type: 'button', button: { payload, text: label } };
}

/** A tap on a reply button; `quotes` names the message with the button. */
export function buttonReply(title: string, id = 'button-1'): Said {
  return { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id, title } } };
}

/** A choice from a list; `quotes` names the message with the list. */
export function listReply(title: string, id = 'row-1', description = 'Next day'): Said {
  return { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id, title, description } } };
}

/** A reaction to a message; without an emoji it takes the last one back. */
export function reaction(messageId: string, emoji?: string): Said {
  return { type: 'reaction', reaction: { message_id: messageId, ...(emoji === undefined ? {} : { emoji }) } };
}

/** An order from a catalogue. */
export function order(): Said {
  const item = { product_retailer_id: 'di9ozbzfi4', quantity: 2, item_price: 30, currency: 'USD' };
  return { type: 'order', order: { catalog_id: '194836987003835', text: '', product_items: [item] } };
}

/** Something that the API does not pass on. */
export function unsupported(): Said {
  const title = 'Message type unknown';
  const details = 'Message type is currently not supported.';
  return {
    type: 'unsupported',
    errors: [{ code: 131051, title, message: title, error_data: { details } }],
    unsupported: { type: 'edit' },
  };
}

/** A kind that Meta has not told of yet. */
export function unheardOf(): Said {
  return { type: 'hologram', hologram: { id: '1' } };
}
