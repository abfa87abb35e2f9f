/** A program as a few files of JavaScript, with everything that it uses: loading hundreds of small modules takes most of a short program's time. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

export interface Bundle {
  /** The program's first module. */
  readonly input: string
  /** Receives `main.js` and what it loads later. Is emptied first. */
  readonly directory: string
  /** Packages that stay outside: native code, and what few people need. */
  readonly external?: readonly string[]
}

/** Resolves with the folders of the packages that are in the bundle. */
export async function bundle({ input, directory, external = [] }: Bundle): Promise<readonly string[]> {
  const build = await rolldown({ input, external: [...external], platform: 'node', cwd: ROOT })
  const { output } = await build.write({
    dir: directory,
    format: 'esm',
    entryFileNames: 'main.js',
    // Licences and notes of the bundled code stay where they are.
    comments: { legal: true, annotation: true, jsdoc: false },
    cleanDir: true,
  })
  await build.close()
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
  const packages = modules.flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [])
  return [...new Set(packages)].sort()
}

/** The licences of bundled packages, as their authors ask for. Throws for a package without one. */
export function licencesOf(packages: readonly string[]): string {
  return packages
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
      if (file === undefined && license === undefined) throw new Error(`${relative(ROOT, folder)} has no licence`)
      const text = file === undefined ? '' : `\n\n${readFileSync(join(folder, file), 'utf8').trim()}`
      return `${name} ${version}, ${license}${text}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}

/** The command line, into `directory`. */
export function bundleCommandLine(directory: string): Promise<readonly string[]> {
  const input = join(ROOT, 'packages', 'cli', 'src', 'main.ts')
  if (!existsSync(input)) throw new Error(`${input} is missing`)
  return bundle({ input, directory, external: ['@napi-rs/keyring'] })
}
