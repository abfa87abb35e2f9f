import { accountCommands } from './account.ts'
import { backupCommands } from './backup.ts'
import { collectCommands } from './collect.ts'
import type { Command } from './command.ts'
import { deprecationCommands } from './deprecation.ts'
import { fsckCommands } from './fsck.ts'
import { holdCommands } from './hold.ts'
import { inviteCommands } from './invite.ts'
import { keyCommands } from './keys.ts'
import { migrateToCommands } from './migrateTo.ts'
import { moveCommands } from './move.ts'
import { restoredCommands } from './restored.ts'
import { scrubCommands } from './scrub.ts'
import { serviceCommands } from './service.ts'
import { settingsCommands } from './settings.ts'
import { statusCommands } from './status.ts'
import { storeCommands } from './storeCheck.ts'
import { upgradeCommands } from './upgrade.ts'

/** Every command of `blindkeep-server`, in the order in which help lists them. */
export const COMMANDS: readonly Command[] = [
  ...serviceCommands,
  ...upgradeCommands,
  ...settingsCommands,
  ...statusCommands,
  ...fsckCommands,
  ...scrubCommands,
  ...collectCommands,
  ...holdCommands,
  ...keyCommands,
  ...accountCommands,
  ...inviteCommands,
  ...deprecationCommands,
  ...backupCommands,
  ...restoredCommands,
  ...migrateToCommands,
  ...moveCommands,
  ...storeCommands,
]
