import { type ParseArgsConfig, type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** Of two equal options Node takes the last one. Throws `TypeError` for them, too, unless the option is `multiple`. */
export function parsedOnce<const Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  const read: ParseArgsConfig & { readonly tokens: true } = { ...config, tokens: true }
  const names = (parseArgs(read).tokens ?? []).flatMap((token) =>
    token.kind === 'option' && token.value !== undefined && config.options?.[token.name]?.multiple !== true
      ? [token.name]
      : [],
  )
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw new TypeError(`Option '--${twice}' is given twice`)
  return parseArgs(config)
}

/**
 * The arguments of a script. `--help` prints `usage` and ends the script; so does, with status 2, what the script
 * does not know: a word that was meant as an option must not become the name of a directory, nor a check that was
 * misspelt a write.
 */
export function argumentsOf<const Options extends ParseArgsOptionsConfig>(
  usage: string,
  options: Options,
  { maxPositionals = 0 }: { readonly maxPositionals?: number } = {},
) {
  if (process.argv.slice(2).includes('--help')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    const given = parsedOnce({ options, allowPositionals: true })
    const tooMany = given.positionals[maxPositionals]
    if (tooMany !== undefined) throw new TypeError(`${tooMany} is one argument too many`)
    return given
  } catch (error) {
    // As `parseArgs` throws it.
    if (!(error instanceof TypeError)) throw error
    console.error(`${error.message}\n\n${usage}`)
    process.exit(2)
  }
}
