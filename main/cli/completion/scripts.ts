import type { Node, OptionNode } from './tree.ts';

/** Shell completion scripts for commands and options. They are static: completion starts no program. */

/** Quotes a text so that each of the three shells takes it literally. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const words = (options: readonly OptionNode[]): string[] => options.flatMap(({ names }) => names);
const valued = (nodes: readonly Node[]): string[] => [
  ...new Set(words(nodes.flatMap(({ options }) => options.filter((one) => one.takesValue)))),
];
const parents = (nodes: readonly Node[]): string[] =>
  nodes.flatMap(({ path, commands }) => commands.map(({ name }) => `${path} ${name}`.trim()));

export function bashScript(program: string, nodes: readonly Node[]): string {
  return `# Completion of ${program} for bash: source <(${program} completion bash)
_${program}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at='' word skip='' i
  # bash parts --option=value into three words.
  if [[ $cur == = ]]; then cur=''
  elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ -n $skip ]]; then
      [[ $word == = ]] || skip=''
      continue
    fi
    case $word in
      ${valued(nodes).join('|')}) skip=1; continue ;;
    esac
    case "\${at:+$at }$word" in
      ${parents(nodes).map(quote).join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  local commands='' options='' values='' files=''
  case $at in
${nodes
  .map(
    ({ path, commands, choices, options, takesFiles }) =>
      `    ${quote(path)}) commands=${quote([...commands.map(({ name }) => name), ...choices].join(' '))} options=${quote(words(options).join(' '))} files=${takesFiles ? '1' : "''"} ;;`,
  )
  .join('\n')}
  esac
  case "$at $prev" in
${choicesOf(nodes)
  .map(
    ({ path, option }) =>
      `    ${option.names.map((name) => quote(`${path} ${name}`)).join('|')}) values=${quote(option.choices.join(' '))} ;;`,
  )
  .join('\n')}
  esac
  COMPREPLY=()
  if [[ -n $values ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur")
    return
  fi
  case $prev in
    ${valued(nodes).join('|')}) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
  esac
  if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
  elif [[ -n $commands ]]; then mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$cur")
  elif [[ -n $files ]]; then compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  fi
}
complete -F _${program} ${program}
`;
}

const choicesOf = (nodes: readonly Node[]): { path: string; option: OptionNode }[] =>
  nodes.flatMap(({ path, options }) => options.filter(({ choices }) => choices.length > 0).map((option) => ({ path, option })));

export function zshScript(program: string, nodes: readonly Node[]): string {
  // A colon separates a word from its description.
  const described = (word: string, about: string): string => quote(`${word.replaceAll(':', '\\:')}:${about}`);
  return `#compdef ${program}
# Completion of ${program} for zsh: ${program} completion zsh > "\${fpath[1]}/_${program}"
_${program}() {
  local at='' word skip='' prev=\${words[CURRENT-1]}
  local -a commands options values
  local files=''
  for word in \${words[2,CURRENT-1]}; do
    if [[ -n $skip ]]; then skip=''; continue; fi
    case $word in
      ${valued(nodes).join('|')}) skip=1; continue ;;
    esac
    case "\${at:+$at }$word" in
      ${parents(nodes).map(quote).join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case $at in
${nodes
  .map(
    ({ path, commands, choices, options, takesFiles }) => `    ${quote(path)})
      commands=(${[...commands.map(({ name, about }) => described(name, about)), ...choices.map(quote)].join(' ')})
      options=(${options.flatMap(({ names, about }) => names.map((name) => described(name, about))).join(' ')})
      files=${takesFiles ? '1' : "''"} ;;`,
  )
  .join('\n')}
  esac
  case "$at $prev" in
${choicesOf(nodes)
  .map(
    ({ path, option }) =>
      `    ${option.names.map((name) => quote(`${path} ${name}`)).join('|')}) values=(${option.choices.map(quote).join(' ')}) ;;`,
  )
  .join('\n')}
  esac
  if (( \${#values} )); then compadd -- $values; return; fi
  if [[ -n $skip ]]; then _files; return; fi
  if [[ $PREFIX == -* ]]; then _describe option options
  elif (( \${#commands} )); then _describe command commands
  elif [[ -n $files ]]; then _files
  fi
}
if [[ $funcstack[1] == _${program} ]]; then _${program} "$@"; else compdef _${program} ${program}; fi
`;
}

export function fishScript(program: string, nodes: readonly Node[]): string {
  // fish has one more escape in single quotes.
  const said = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = nodes.flatMap(({ path, commands, choices, options, takesFiles }) => {
    const here = `complete -c ${program} -n ${said(`test "$(__${program}_at)" = "${path}"`)}`;
    return [
      ...(takesFiles ? [] : [`${here} -f`]),
      ...commands.map(({ name, about }) => `${here} -a ${said(name)} -d ${said(about)}`),
      ...choices.map((choice) => `${here} -a ${said(choice)}`),
      ...options.map(({ names, about, takesValue, choices: values }) => {
        const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)).join(' ');
        const value = values.length > 0 ? ` -x -a ${said(values.join(' '))}` : takesValue ? ' -r -F' : '';
        return `${here} ${flags}${value} -d ${said(about)}`;
      }),
    ];
  });
  return `# Completion of ${program} for fish: ${program} completion fish > ~/.config/fish/completions/${program}.fish
function __${program}_at
    set -l at ''
    set -l skip ''
    for word in (commandline -opc)[2..-1]
        if test -n "$skip"
            set skip ''
            continue
        end
        switch $word
            case ${valued(nodes).join(' ')}
                set skip 1
                continue
        end
        set -l next (string trim -- "$at $word")
        switch $next
            case ${parents(nodes).map(said).join(' ')}
                set at $next
        end
    end
    echo $at
end
${lines.join('\n')}
`;
}
