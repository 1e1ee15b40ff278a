/** Types for what is imported and is no code. */

declare module '*.md?html' {
  const html: string;
  export default html;
}
