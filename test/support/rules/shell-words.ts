/** The words of a command line as a shell makes them of its text: blanks part them, quotes keep them together. Nothing is expanded. */
export function shellWords(text: string): string[] {
  return [...text.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|"([^"]*)"/g,
      (_quoted, single: string | undefined, double: string | undefined) => single ?? double ?? '',
    ),
  );
}
