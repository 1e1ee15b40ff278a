/** Scripts by which shells complete `heliograph …` and `npx heliograph …`. */
import type { CompletedCommand } from './command-tree.ts';

/** The shells that there is a script for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The completion of the commands in the language of a shell. */
export function printCompletion(shell: (typeof SHELLS)[number], tree: readonly CompletedCommand[]): string {
  if (shell === 'fish') return printFish(tree);
  return shell === 'bash' ? printBash(tree) : printZsh(tree);
}

/** In single quotes, as every shell here reads them. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Which words have led to a command; bash and zsh read them alike. */
function pathCases(tree: readonly CompletedCommand[]): string {
  const known = tree.filter(({ path }) => path !== '').map(({ path }) => quoted(` ${path}`));
  return `      ${known.join('|')}) at="$at $word" ;;`;
}

/** What may follow an option with a value. */
function valueCases(tree: readonly CompletedCommand[]): string {
  return tree
    .flatMap(({ path, options }) =>
      options.flatMap(({ word, values }) =>
        values === null
          ? []
          : [
              `    ${quoted(`${path === '' ? '' : ` ${path}`} ${word}`)}) found=${quoted(values.join(' '))}; isValue=1 ;;`,
            ],
      ),
    )
    .join('\n');
}

/** What else may follow the words of a command: options where there is nothing else, or once a dash is typed. */
function wordCases(tree: readonly CompletedCommand[]): string {
  return tree
    .map(({ path, commands, options, values }) => {
      const words = [...commands.map(({ word }) => word), ...values].join(' ');
      const dashed = options.map(({ word }) => word).join(' ');
      return `      ${quoted(path === '' ? '' : ` ${path}`)}) found=${quoted(words)}; dashed=${quoted(dashed)} ;;`;
    })
    .join('\n');
}

function printBash(tree: readonly CompletedCommand[]): string {
  return `# Completion of heliograph for bash. Add to ~/.bashrc: source <(npx heliograph completion bash), run in the folder of Heliograph.
_heliograph() {
  local at='' found='' dashed='' isValue='' word i first=1
  if [[ \${COMP_WORDS[0]##*/} == npx ]]; then
    first=2
    if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W heliograph -- "\${COMP_WORDS[1]}")); return; fi
    [[ \${COMP_WORDS[1]} == heliograph ]] || return
  fi
  for ((i = first; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$at $word" in
${pathCases(tree)}
    esac
  done
  case "$at \${COMP_WORDS[COMP_CWORD - 1]}" in
${valueCases(tree)}
  esac
  if [[ -z $isValue ]]; then
    case "$at" in
${wordCases(tree)}
    esac
    if [[ -z $found || \${COMP_WORDS[COMP_CWORD]} == -* ]]; then found=$dashed; fi
  fi
  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _heliograph heliograph npx
`;
}

function printZsh(tree: readonly CompletedCommand[]): string {
  return `#compdef heliograph npx
# Completion of heliograph for zsh. Add to ~/.zshrc, behind compinit: source <(npx heliograph completion zsh), run in the folder of Heliograph.
_heliograph() {
  local at='' found='' dashed='' isValue='' word i first=2
  if [[ \${words[1]:t} == npx ]]; then
    first=3
    if ((CURRENT == 2)); then compadd -- heliograph; return; fi
    [[ \${words[2]} == heliograph ]] || return 1
  fi
  for ((i = first; i < CURRENT; i++)); do
    word=\${words[i]}
    case "$at $word" in
${pathCases(tree)}
    esac
  done
  case "$at \${words[CURRENT - 1]}" in
${valueCases(tree)}
  esac
  if [[ -z $isValue ]]; then
    case "$at" in
${wordCases(tree)}
    esac
    if [[ -z $found || \${words[CURRENT]} == -* ]]; then found=$dashed; fi
  fi
  if [[ -n $found ]]; then compadd -- \${=found}; else _files; fi
}
compdef _heliograph heliograph npx
`;
}

function printFish(tree: readonly CompletedCommand[]): string {
  const paths = tree.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  const lines = tree.flatMap(({ path, commands, options, values }) => {
    const here = `complete -c $program -n "__heliograph_at ${quoted(path)}"`;
    return [
      // Files stand where they are wanted only.
      `${here} -f`,
      ...commands.map(({ word, description }) => `${here} -f -a ${word} -d ${quoted(description)}`),
      ...values.map(value => `${here} -f -a ${quoted(value)}`),
      ...options.map(({ word, description, values: chosen, takesFile }) => {
        const value = chosen === null ? '' : takesFile ? ' -r -F' : ` -x -a ${quoted(chosen.join(' '))}`;
        return `${here} -l ${word.slice(2)}${value} -d ${quoted(description)}`;
      }),
    ];
  });
  return `# Completion of heliograph for fish. Add to ~/.config/fish/config.fish: npx heliograph completion fish | source, run in the folder of Heliograph.
set -g __heliograph_paths ${paths.join(' ')}
function __heliograph_at
    set -l words (commandline -opc)
    set -l rest $words[2..-1]
    if test (basename $words[1]) = npx
        test "$words[2]" = heliograph; or return 1
        set rest $words[3..-1]
    end
    set -l at ''
    for word in $rest
        set -l next (string trim "$at $word")
        contains -- $next $__heliograph_paths; and set at $next
    end
    test "$at" = "$argv[1]"
end
complete -c npx -n 'test (count (commandline -opc)) -eq 1' -a heliograph
for program in heliograph npx
${lines.map(line => `    ${line}`).join('\n')}
end
`;
}
