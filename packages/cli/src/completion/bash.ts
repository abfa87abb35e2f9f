import type { Place } from './places.ts'
import { armsOf, quoted, valueText } from './walk.ts'

const textsOf = (words: readonly { readonly text: string }[]) => words.map(({ text }) => text).join(' ')

/** Runs in bash 3.2, too, where it offers files for every value. */
export function bashScript(name: string, places: readonly Place[]): string {
  const arms = places.map(({ path, commands, flags, values }) => {
    const value = commands.length > 0 ? textsOf(commands) : valueText(values)
    return `      ${quoted(path)}) value=${quoted(value)} flags=${quoted(textsOf(flags))} ;;`
  })
  return `# Completion of ${name} for bash.
_${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} place= value= flags= word
  # Bash takes the = of --flag=value for a word.
  [[ $current == = ]] && current=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == = ]] && continue
    if [[ -n $value ]]; then value=; continue; fi
    case "$place/$word" in
${armsOf(places)}
    esac
  done
  if [[ -z $value ]]; then
    case "$place" in
${arms.join('\n')}
    esac
    [[ $current == -* ]] && value=$flags
  fi
  COMPREPLY=()
  # Files are what bash offers if there is no other word.
  [[ $value == files ]] && return
  compopt +o default 2>/dev/null
  [[ $value == none ]] || COMPREPLY=($(compgen -W "$value" -- "$current"))
}
complete -o default -F _${name} ${name}
`
}
