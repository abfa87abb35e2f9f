/**
 * The names of our packages are not registered anywhere. A line that has a package manager fetch one by its name would,
 * for the person who pastes it, run the program of the stranger who registers it first. So texts install from files,
 * and `npx` has `--no-install`, with which it runs only what is there.
 */

const RUNS = /\b(?:npx|pnpx|bunx|(?:npm|pnpm) exec|npm x|(?:pnpm|yarn) dlx|bun x)((?:\s+-\S+)*)\s+(\S+)/g
const INSTALLS = /\b(?:npm|pnpm|yarn|bun)\s+(?:global\s+)?(?:install|i|add|update|create|init)\b([^\n`;|&#]*)/g
const PAGES = /\b(?:npmjs\.com\/package|unpkg\.com|jsdelivr\.net\/npm)\/((?:@[\w-]+\/)?[\w-]+)/g

/** What of `text` names one of `packages` to a registry, with the number of its line. */
export function registryNames(text: string, packages: readonly string[]): readonly string[] {
  const isOurs = (word: string) => packages.includes(word.replace(/^['"]|[^\w-]+$/g, '').replace(/(?<=.)@[^/]*$/, ''))
  return text.split('\n').flatMap((line, index) => {
    const runs = [...line.matchAll(RUNS)].filter(
      ([, flags = '', name = '']) => isOurs(name) && !flags.split(/\s+/).includes('--no-install'),
    )
    const installs = [...line.matchAll(INSTALLS)].filter(([, rest = '']) => rest.split(/\s+/).some(isOurs))
    const pages = [...line.matchAll(PAGES)].filter(([, name = '']) => isOurs(name))
    return [...runs, ...installs, ...pages].map(([found]) => `${index + 1}: ${found.trim()}`)
  })
}
