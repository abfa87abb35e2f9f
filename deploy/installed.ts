/** Programs that a test needs and that not every machine has. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'

/** Skips the test, by the name of the program, where the machine has it not. */
export function isInstalled(program: string, t: TestContext): boolean {
  const isThere = directories().some((directory) => isExecutable(join(directory, program)))
  if (!isThere) t.skip(`${program} is not installed`)
  return isThere
}

/** Servers are often in a directory that only root's PATH has. */
function directories(): readonly string[] {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
