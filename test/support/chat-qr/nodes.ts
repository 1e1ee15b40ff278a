/** Elements of the chat's protocol: what stands in them, and how they are made. */
import type { Node } from './peer-library.ts';

/** The server's own address. */
export const SERVER = '@s.whatsapp.net';

/** Makes an element. */
export function node(tag: string, attrs: Record<string, string> = {}, content?: Node['content']): Node {
  return { tag, attrs, content };
}

/** The elements in one, by their name where one is given. */
export function childrenOf(parent: Node | undefined, tag?: string): Node[] {
  const content = parent?.content;
  if (!Array.isArray(content)) return [];
  return content.filter((child: Node) => !tag || child.tag === tag);
}

/** The first element in one. */
export function childOf(parent: Node | undefined, tag?: string): Node | undefined {
  return childrenOf(parent, tag)[0];
}

/** The bytes in an element. */
export function bytesOf(parent: Node | undefined): Buffer {
  const content = parent?.content;
  if (content === undefined || Array.isArray(content)) throw new Error(`No bytes in ${parent?.tag}`);
  return typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as Uint8Array);
}

/** The digits of an address, without its device. */
export function userOf(jid: string): string {
  return /^\d+/.exec(jid)?.[0] ?? '';
}
