/** Types for what is imported and is no code. */

declare module '*.md?html' {
  const html: string;
  export default html;
}

declare module '*.md?code' {
  const blocks: readonly { readonly language: string; readonly text: string }[];
  export default blocks;
}
