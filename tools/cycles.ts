/**
 * Finds files that import each other in a circle, be it for types alone: `node tools/cycles.ts`. Ends with 1 when there
 * are any. As a rule of the linter (`noImportCycles`) this took a third of its time.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { projectFiles, ROOT } from './projectFiles.ts'

const CODE = /\.(ts|tsx|mjs|js)$/
const IMPORTED = /\b(?:from|import)\s*\(?\s*(['"])([^'"\n]+)\1/g

const listed = projectFiles()
const files = new Set(listed.filter((file) => CODE.test(file)))
/** Each name by which files of other packages are imported, with a `*` or without, and the file. */
const exported = listed
  .filter((file) => /^packages\/[^/]+\/package\.json$/.test(file))
  .flatMap((file) => {
    const { name, exports = {} } = JSON.parse(readFileSync(join(ROOT, file), 'utf8'))
    return Object.entries<string>(exports).map(([path, to]) => [join(name, path), join(dirname(file), to)] as const)
  })

const importsOf = new Map(
  [...files].map((file) => {
    const texts = [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORTED)].map(([, , text = '']) => text)
    return [file, new Set(texts.map((text) => fileOf(text, file)).filter((one) => files.has(one)))] as const
  }),
)

let found = 0
const finished = new Set<string>()
for (const file of files) visit(file, [])
process.exitCode = found > 0 ? 1 : 0

/** `path` leads to `file`, each file importing the next one. */
function visit(file: string, path: readonly string[]): void {
  if (path.includes(file)) {
    found += 1
    console.log(`a circle of imports: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`)
  } else if (!finished.has(file)) {
    for (const imported of importsOf.get(file) ?? []) visit(imported, [...path, file])
    finished.add(file)
  }
}

/** The path that `text` means in an import of `file`. */
function fileOf(text: string, file: string): string {
  if (text.startsWith('.')) return join(dirname(file), text).replace(/\?.*$/, '')
  for (const [name, to] of exported) {
    const [first = '', last] = name.split('*')
    if (last === undefined ? text === name : text.startsWith(first)) return to.replace('*', text.slice(first.length))
  }
  return text
}
