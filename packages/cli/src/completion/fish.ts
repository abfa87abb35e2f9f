import type { Flag, Place, Values } from './places.ts'

const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`

export function fishScript(name: string, places: readonly Place[]): string {
  const at = `__${name}_at`
  return `# Completion of ${name} for fish.
function ${at}
    set -l place ''
    set -l value ''
    for word in (commandline -opc)[2..-1]
        if test -n "$value"
            set value ''
            continue
        end
        switch "$place/$word"
${places.flatMap(armsOf).join('\n')}
        end
    end
    test "$place" = "$argv[1]"
end
complete -c ${name} -f
${places.flatMap((place) => linesOf(name, at, place)).join('\n')}
`
}

function armsOf({ path, commands, flags }: Place): readonly string[] {
  return [
    ...commands.map(
      ({ text }) => `            case ${quoted(`${path}/${text}`)}
                set place ${quoted(`${path} ${text}`.trim())}`,
    ),
    ...flags.flatMap(({ text, value }) =>
      value === undefined
        ? []
        : [
            `            case ${quoted(`${path}/${text}`)}
                set value yes`,
          ],
    ),
  ]
}

function linesOf(name: string, at: string, { path, commands, flags, values }: Place): readonly string[] {
  const begin = `complete -c ${name} -n ${quoted(`${at} ${quoted(path)}`)}`
  return [
    ...commands.map(({ text, about }) => `${begin} -a ${quoted(text)} -d ${quoted(about)}`),
    ...(commands.length > 0 || values === 'none' ? [] : [`${begin} ${offer(values)}`]),
    ...flags.map((flag) => `${begin} ${flagText(flag)}`),
  ]
}

function flagText({ text, about, value }: Flag): string {
  const taken = value === undefined ? '' : value === 'none' ? ' -x' : ` -r ${offer(value)}`
  return `-l ${text.slice(2)} -d ${quoted(about)}${taken}`
}

const offer = (values: Exclude<Values, 'none'>) => (values === 'files' ? '-F' : `-a ${quoted([...values].join(' '))}`)
