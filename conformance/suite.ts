/** Reads the suite's own test files: what each `describe` covers, and the titles of its tests. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = new URL('.', import.meta.url)

/** One `describe` of a test file. Both titles read as one sentence. */
export interface TestGroup {
  /** `chunks` for chunks.test.ts. */
  readonly file: string
  readonly title: string
  /** The names in its `Covers:` comment: clauses of the specification and sections of the project's own rules. */
  readonly covers: readonly string[]
  readonly tests: readonly string[]
}

/** All of them, or those with these names (`chunks`). Throws for a name of none. */
export function testFiles(wanted: readonly string[] = []): readonly string[] {
  const present = readdirSync(FOLDER).filter((name) => name.endsWith('.test.ts'))
  const names = wanted.length === 0 ? present.sort() : wanted.map((name) => `${name}.test.ts`)
  const unknown = names.filter((name) => !present.includes(name))
  if (unknown.length > 0) throw new Error(`there is no conformance/${unknown.join(' and no conformance/')}`)
  return names.map((name) => fileURLToPath(new URL(name, FOLDER)))
}

export function testGroups(): readonly TestGroup[] {
  return testFiles().flatMap((path) => groupsOf(basename(path, '.test.ts'), readFileSync(path, 'utf8')))
}

/** Titles are single-quoted on their `describe`'s or `it`'s line. Throws otherwise, or without a comment. */
function groupsOf(file: string, source: string): readonly TestGroup[] {
  const heads = [...source.matchAll(/^\/\/ Covers: (.*\n(?:\/\/ .*\n)*)describe\('(.+?)'/gm)]
  const groups = heads.map(([, comment = '', title = ''], index) => {
    const body = source.slice(heads[index]?.index, heads[index + 1]?.index)
    const covers = comment.replaceAll('//', ' ').replaceAll(/\s+/g, ' ').split(';')
    const tests = [...body.matchAll(/^\s+it\('(.+?)'[,)]/gm)].map((match) => match[1] ?? '')
    return { file, title, covers: covers.map((name) => name.trim()), tests }
  })
  const counted = (pattern: RegExp) => source.match(pattern)?.length ?? 0
  const titled = groups.reduce((sum, { tests }) => sum + tests.length, 0)
  if (groups.length !== counted(/^describe\(/gm) || titled !== counted(/^\s+it\(/gm))
    throw new Error(`${file}.test.ts has a describe without a Covers comment, or a title in another form`)
  return groups
}
