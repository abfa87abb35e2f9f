/** What became of several things: a line for each that failed, and one exit status for all. */
import { type Exit, exitOf } from '../ground/exits.ts'
import type { Report } from '../ground/report.ts'
import { shown } from '../ground/texts.ts'
import type { Failure } from './failures.ts'

export interface Outcomes {
  /** `fact`: what names the thing for programs. */
  fail(shownAs: string, fact: object, failure: Failure): void
  /** What failed, by `shownAs`. */
  readonly failed: () => readonly string[]
  /** 3 if anything is not as it was signed or sealed, 1 if anything failed otherwise. */
  readonly exit: () => Exit
}

export function createOutcomes(report: Report): Outcomes {
  const failed: string[] = []
  const exits: Exit[] = []
  return {
    fail(shownAs, fact, { message, reason, exit, movedTo }) {
      failed.push(shownAs)
      exits.push(exit)
      const text = message.startsWith(`${shownAs} `) ? message : `${shownAs}: ${message}`
      report.problem(shown(text), { event: 'failed', ...fact, reason, message, moved_to: movedTo })
    },
    failed: () => failed,
    exit: () => exitOf(exits),
  }
}
