/** What bash and zsh have in common: how a script finds the place of a line. */
import type { Place, Values } from './places.ts'

export const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** The arms of a `case` over `PLACE/WORD`: a word leads to another place, or is a flag with a value. */
export function armsOf(places: readonly Place[]): string {
  return places.flatMap((place) => [...stepsFrom(place), ...valuesIn(place)]).join('\n')
}

function stepsFrom({ path, commands }: Place): readonly string[] {
  return commands.map(({ text }) => `      ${quoted(`${path}/${text}`)}) place=${quoted(`${path} ${text}`.trim())} ;;`)
}

function valuesIn({ path, flags }: Place): readonly string[] {
  return flags.flatMap(({ text, value }) =>
    value === undefined ? [] : [`      ${quoted(`${path}/${text}`)}) value=${quoted(valueText(value))} ;;`],
  )
}

/** `files`, `none`, or the words. */
export const valueText = (values: Values) => (typeof values === 'string' ? values : values.join(' '))
