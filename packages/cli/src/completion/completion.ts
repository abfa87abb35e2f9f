/** `blindkeep completion`: the script is complete in itself, so that a shell starts no process to complete a word. */
import type { Command } from 'commander'
import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import { placesOf } from './places.ts'
import { zshScript } from './zsh.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

export type Shell = keyof typeof SCRIPTS

export function completion(program: Command, shell: Shell): string {
  return SCRIPTS[shell](program.name(), placesOf(program))
}
