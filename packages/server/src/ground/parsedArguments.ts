/** The command line, as Node reads it, but an option with a value is given once: of two Node takes the last one. */
import { parseArgs } from 'node:util'

export type ArgumentOptions = Readonly<Record<string, { readonly type: 'boolean' | 'string' }>>

/** Throws an error whose first sentence says what is wrong. */
export function parsedArguments(argv: readonly string[], options: ArgumentOptions, allowPositionals = false) {
  const { values, positionals, tokens } = parseArgs({ args: [...argv], options, allowPositionals, tokens: true })
  const given = new Set<string>()
  for (const token of tokens) {
    if (token.kind !== 'option' || token.value === undefined) continue
    if (given.has(token.name)) throw new TypeError(`Option '--${token.name}' is given twice`)
    given.add(token.name)
  }
  return { values, positionals }
}
