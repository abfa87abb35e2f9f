import type { Command } from './command.ts'
import { serviceCommands } from './service.ts'

/** Every command of `blindkeep-server`, in the order in which help lists them. */
export const COMMANDS: readonly Command[] = [...serviceCommands]
