/**
 * Checks the documents: `npm run docs`.
 * - Every relative link leads to a file of the repository, and every anchor to a heading. A file of code that a text
 *   or a comment names with its folder exists.
 * - No text of the project has a package manager fetch one of our packages by its name.
 * - Each import leads to a lower floor, where ARCHITECTURE.md draws floors.
 * - No paragraph, and no cell of a table, is longer than 600 characters.
 *
 * `npm run docs:run [-- <file> …]` runs instead what says that it can be run: blocks of commands whose fence is
 * ```` ```sh run ````, and modules (```` ```js run ````).
 */
import { readFileSync } from 'node:fs'
import { argumentsOf } from './arguments.ts'
import { floorFaults } from './docs/floors.ts'
import { brokenLinks, lostFiles } from './docs/links.ts'
import { type Document, readDocument } from './docs/markdown.ts'
import { registryNames } from './docs/registryNames.ts'
import { projectFiles, ROOT } from './projectFiles.ts'

const { values, positionals } = argumentsOf(
  'npm run docs\nnpm run docs:run [-- <file> …]',
  { run: { type: 'boolean' } },
  { maxPositionals: Number.POSITIVE_INFINITY },
)

const files = projectFiles()
const documents: readonly Document[] = files
  .filter((file) => file.endsWith('.md'))
  .map((file) => readDocument(file, readFileSync(`${ROOT}${file}`, 'utf8')))

const TEXTS = /\.(md|ts|tsx|html|json|ya?ml|service|sh)$|(^|\/)Dockerfile$/
/** They have wrong lines on purpose, or names without their meaning. */
const EXCEPT = /^(tools\/docs\/(registryNames(\.test)?|docs\.test)\.ts|package-lock\.json)$/

if (!(values.run === true ? await run() : check())) process.exitCode = 1

function check(): boolean {
  const packages = files
    .filter((file) => /^packages\/[^/]+\/package\.json$/.test(file))
    .map((file) => String(JSON.parse(readFileSync(`${ROOT}${file}`, 'utf8')).name))
  const texts = files
    .filter((file) => TEXTS.test(file) && !EXCEPT.test(file))
    .map((file) => ({ file, text: readFileSync(`${ROOT}${file}`, 'utf8') }))
  const names = texts.flatMap(({ file, text }) =>
    registryNames(text, packages).map(
      (found) => `${file}:${found}: this name is not registered: install from a file, run with npx --no-install`,
    ),
  )
  const known = new Set(files)
  const broken = [...brokenLinks(documents, known), ...texts.flatMap(({ file, text }) => lostFiles(file, text, known))]
  const upwards = documents.flatMap(({ floors }) =>
    floors.flatMap((drawn) => [...floorFaults(drawn, files, (file) => readFileSync(`${ROOT}${file}`, 'utf8'))]),
  )
  const long = documents.flatMap(({ file, long }) =>
    long.map((line) => `${file}:${line}: more than 600 characters: make a list or a table of it`),
  )
  const faults = [...broken, ...names, ...upwards, ...long]
  for (const fault of faults) console.error(fault)
  console.log(
    `${documents.length} documents, ${broken.length} broken links, ${names.length} names of a registry, ${upwards.length} faults of floors, ${long.length} long paragraphs`,
  )
  return faults.length === 0
}

async function run(): Promise<boolean> {
  // Imported here, because it builds the server.
  const { runDocuments } = await import('./docs/run.ts')
  const runnable = documents.filter(
    ({ file, blocks }) => blocks.length > 0 && (positionals.length === 0 || positionals.includes(file)),
  )
  if (runnable.length === 0) throw new Error('no document has a block that can be run')
  return runDocuments(runnable, ROOT)
}
