/**
 * Builds what runs: the programs, each into `dist/` of its package, and the pages (`packages/web/build.ts`). With
 * `--if-possible` an installation without the tools for it (`npm ci --omit=dev`) is no fault; with `--if-changed`
 * nothing is built that is as its sources.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { argumentsOf } from './arguments.ts'
import { install, isInstalled, PROGRAM_NAMES } from './bundle.ts'
import { copyPagesLists } from './pagesList.ts'

const { values } = argumentsOf('npm run build [-- --if-changed] [--if-possible]', {
  'if-changed': { type: 'boolean', default: false },
  'if-possible': { type: 'boolean', default: false },
})
const ifChanged = values['if-changed']
if (isThere('rolldown') || !values['if-possible'])
  for (const program of PROGRAM_NAMES) if (!ifChanged || !(await isInstalled(program))) await install(program)
await import('../packages/web/build.ts')
const ofCli = fileURLToPath(new URL('../packages/cli/dist', import.meta.url))
if (existsSync(ofCli)) await copyPagesLists(join(ofCli, 'lists'))

function isThere(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}
