/** What others wrote and a bundle contains: the licences, as their authors ask for, and a list for programs. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The list in each bundle, which `release.ts` reads. */
export const CONTENTS_FILE = 'contents.json'
export const LICENCES_FILE = 'LICENCES.txt'
/** Between the licences. */
const RULE = `\n${'-'.repeat(80)}\n\n`

export interface Contained {
  readonly name: string
  readonly version: string
}

/** Writes `LICENCES.txt` and `contents.json` for a bundle of `modules`. Throws without a licence. */
export async function writeLicences(directory: string, modules: Iterable<string>): Promise<void> {
  const folders = [...modules].flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [])
  const found = await Promise.all([...new Set(folders)].map(licenceIn))
  const sorted = found.sort((one, other) => (one.text < other.text ? -1 : 1))
  const texts = sorted.map(({ text }) => text)
  const contents: readonly Contained[] = sorted.map(({ name, version }) => ({ name, version }))
  await writeFile(join(directory, LICENCES_FILE), texts.join(RULE))
  await writeFile(join(directory, CONTENTS_FILE), `${JSON.stringify(contents, undefined, 2)}\n`)
}

/** All licences of several bundles, each text once, but that of a package which was left out. */
export function licencesOf(texts: readonly string[], leftOut: string): string {
  const all = texts.flatMap((text) => text.split(RULE)).map((text) => text.trim())
  return `${[...new Set(all)].filter((text) => !text.startsWith(`${leftOut} `)).join(`\n${RULE}`)}\n`
}

async function licenceIn(folder: string): Promise<Contained & { readonly text: string }> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
  if (file === undefined && license === undefined) throw new Error(`${name} has no licence`)
  const text = file === undefined ? '' : `\n\n${(await readFile(join(folder, file), 'utf8')).trim()}`
  return { name, version, text: `${name} ${version}, ${license}${text}\n` }
}
