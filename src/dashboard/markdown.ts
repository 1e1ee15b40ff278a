/** Pages of `docs/` as HTML, made when the dashboard is built: no page carries a parser. */
import { readFile } from 'node:fs/promises';
import MarkdownIt from 'markdown-it';
import type { Plugin } from 'vite';

/**
 * `import blocks from '….md?code'` gives the blocks of code of a page with their languages; `import html from '….md?html'` the page as HTML.
 * Its headings have anchors; links to other files are shown as their texts.
 */
export function markdownPages(): Plugin {
  const markdown = new MarkdownIt({ html: true });
  const { rules } = markdown.renderer;
  rules.heading_open = (tokens, index) => {
    const { tag } = tokens[index] ?? {};
    const words = tokens[index + 1]?.content ?? '';
    return `<${tag} id="${words
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-')}">`;
  };
  // A block that scrolls must be reached by keys.
  rules.fence = (tokens, index) =>
    `<pre tabindex="0"><code>${markdown.utils.escapeHtml(tokens[index]?.content ?? '')}</code></pre>`;
  // Codes that are explained in a table are led to as well.
  rules.code_inline = (tokens, index, _options, env) => {
    const { anchors } = env as unknown as { readonly anchors: Set<string> };
    const text = tokens[index]?.content ?? '';
    const isCode = /^[a-z]+(_[a-z]+)*$/.test(text) && !anchors.has(text);
    if (isCode) anchors.add(text);
    return `<code${isCode ? ` id="${text}"` : ''}>${markdown.utils.escapeHtml(text)}</code>`;
  };
  let isInside = true;
  rules.link_open = (tokens, index) => {
    const target = String(tokens[index]?.attrGet('href'));
    isInside = target.startsWith('#');
    return isInside ? `<a href="${target}">` : '';
  };
  rules.link_close = () => (isInside ? '</a>' : '');
  return {
    name: 'markdown-pages',
    async load(id) {
      const [path = '', query] = id.split('?');
      if (!path.endsWith('.md') || (query !== 'html' && query !== 'code')) return null;
      const text = await readFile(path, 'utf8');
      if (query === 'code') {
        const fences = markdown.parse(text, {}).filter(({ type }) => type === 'fence');
        const blocks = fences.map(({ info, content }) => ({ language: info, text: content }));
        return { code: `export default ${JSON.stringify(blocks)};`, moduleType: 'js' };
      }
      // The page has a title of its own.
      const headings = [...text.matchAll(/^#+ (\w+)$/gm)].map(([, word = '']) => word);
      const html = markdown.render(text.replace(/^# .*\n/, ''), { anchors: new Set(headings) });
      return { code: `export default ${JSON.stringify(html)};`, moduleType: 'js' };
    },
  };
}
