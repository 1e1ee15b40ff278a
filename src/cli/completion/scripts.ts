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

/** Cases of the words that lead to a command; bash and zsh read them alike. */
function pathCases(tree: readonly CompletedCommand[]): string {
  const known = tree.filter(({ path }) => path !== '').map(({ path }) => quoted(` ${path}`));
  return `      ${known.join('|')}) at="$at $word" ;;`;
}

/** The values that an option may have, in words or asked for at the press of the key; bash and zsh read them alike. */
function valueCases(tree: readonly CompletedCommand[]): string {
  return tree
    .flatMap(({ path, options }) =>
      options.flatMap(({ word, values, source }) => {
        if (values === null) return [];
        const found = source === '' ? quoted(values.join(' ')) : `$(eval "$program ${source}" 2>/dev/null)`;
        return [`    ${quoted(`${path === '' ? '' : ` ${path}`} ${word}`)}) found=${found}; isValue=1 ;;`];
      }),
    )
    .join('\n');
}

/** Cases of further words behind a command: options where there is nothing else, or once a dash is typed. */
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
  local at='' found='' dashed='' isValue='' program word i first=1 last=-1 typed=()
  # bash takes a colon for a word of its own.
  for word in "\${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if ((last > 0)) && [[ $word == :* || \${typed[last]} == *: ]]; then typed[last]+=$word; else typed[++last]=$word; fi
  done
  if [[ \${typed[0]##*/} == npx ]]; then
    first=2
    if ((last == 1)); then COMPREPLY=($(compgen -W heliograph -- "\${typed[1]}")); return; fi
    [[ \${typed[1]} == heliograph ]] || return
  fi
  program="\${typed[*]:0:first}"
  for ((i = first; i < last; i++)); do
    word=\${typed[i]}
    case "$at $word" in
${pathCases(tree)}
    esac
  done
  case "$at \${typed[last - 1]}" in
${valueCases(tree)}
  esac
  if [[ -z $isValue ]]; then
    case "$at" in
${wordCases(tree)}
    esac
    if [[ -z $found || \${typed[last]} == -* ]]; then found=$dashed; fi
  fi
  word=\${typed[last]}
  COMPREPLY=($(compgen -W "$found" -- "$word"))
  if [[ $word == *:* ]]; then COMPREPLY=("\${COMPREPLY[@]#"\${word%"\${word##*:}"}"}"); fi
}
complete -o default -F _heliograph heliograph npx
`;
}

function printZsh(tree: readonly CompletedCommand[]): string {
  return `#compdef heliograph npx
# Completion of heliograph for zsh. Add to ~/.zshrc, behind compinit: source <(npx heliograph completion zsh), run in the folder of Heliograph.
_heliograph() {
  local at='' found='' dashed='' isValue='' program word i first=2
  if [[ \${words[1]:t} == npx ]]; then
    first=3
    if ((CURRENT == 2)); then compadd -- heliograph; return; fi
    [[ \${words[2]} == heliograph ]] || return 1
  fi
  program="\${words[1,first - 1]}"
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
      ...options.map(({ word, description, values: chosen, source, takesFile }) => {
        const words = source === '' ? chosen?.join(' ') : `(__heliograph_ask ${source})`;
        const value = words === undefined ? '' : takesFile ? ' -r -F' : ` -x -a ${quoted(words)}`;
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
function __heliograph_ask
    set -l words (commandline -opc)
    set -l program $words[1]
    test (basename $words[1]) = npx; and set -a program heliograph
    $program $argv 2>/dev/null
end
complete -c npx -n 'test (count (commandline -opc)) -eq 1' -a heliograph
for program in heliograph npx
${lines.map(line => `    ${line}`).join('\n')}
end
`;
}
