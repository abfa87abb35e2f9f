import type { Place, Word } from './places.ts'
import { armsOf, quoted, valueText } from './walk.ts'

const list = (words: readonly Word[]) => words.map(({ text, about }) => quoted(`${text}:${about}`)).join(' ')

export function zshScript(name: string, places: readonly Place[]): string {
  const arms = places.map(
    ({ path, commands, flags, values }) =>
      `      ${quoted(path)}) commands=(${list(commands)}) flags=(${list(flags)}) value=${quoted(valueText(values))} ;;`,
  )
  return `#compdef ${name}
# Completion of ${name} for zsh.
_${name}() {
  local place= value= word
  local -a commands flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n $value ]]; then value=; continue; fi
    case "$place/$word" in
${armsOf(places)}
    esac
  done
  if [[ -z $value ]]; then
    case "$place" in
${arms.join('\n')}
    esac
    if [[ $words[CURRENT] == --*=* ]]; then compset -P '*='; value=files; commands=()
    elif [[ $words[CURRENT] == -* ]]; then _describe -o flag flags; return
    fi
  fi
  if (( $#commands )); then _describe command commands
  elif [[ $value == files ]]; then _files
  elif [[ $value != none ]]; then compadd -- \${=value}
  fi
}
if [[ $funcstack[1] == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
`
}
