/**
 * Settings that a person meant to give and that do nothing, because a name is misspelt, a line has no `=`, or a later
 * line has the same name: a misspelt quota would be no quota.
 */

import { SETTINGS } from './settings.ts'
import { type SettingsLine, settingsLines } from './settingsFile.ts'
import type { SettingSources } from './sources.ts'

const NAMES: readonly string[] = Object.values(SETTINGS).map(({ name }) => name)
const KNOWN: ReadonlySet<string> = new Set(NAMES)
/** The first word of the command line's own variables, and what people put before a name of ours. */
const OWN_PREFIX = 'BLINDKEEP_'
/** Variables of other programs that begin like ours: of S3 clients, desktops, systemd, and reproducible builds. */
const FOREIGN = /^AWS_|^(SESSION_MANAGER|NOTIFY_SOCKET|LOG_NAMESPACE|SOURCE_DATE_EPOCH)$/

interface UnknownSetting {
  /** Undefined for a line of the file that sets nothing, and that may be a secret. */
  readonly name: string | undefined
  /** Of the file; undefined for a variable of the environment. */
  readonly line: number | undefined
  /** The setting that is probably meant. */
  readonly nearest: string | undefined
  /** The line that sets this setting again. */
  readonly replacedBy?: number
}

/** All of the file that is no setting; of the environment, which others share, what looks like one of ours. */
export function unknownSettings({ environment, origins, file }: SettingSources): readonly UnknownSetting[] {
  const lines = file === undefined ? [] : linesWithoutEffect(settingsLines(file.text))
  const variables = Object.keys(environment)
    .filter((name) => origins[name] === undefined && !KNOWN.has(name) && !FOREIGN.test(name))
    .flatMap((name) => {
      const nearest = likeOneOfOurs(name)
      return nearest === undefined ? [] : [{ name, line: undefined, nearest }]
    })
  return [...lines, ...variables]
}

/** Sentences for people. */
export function unknownSettingLines(given: SettingSources): readonly string[] {
  return unknownSettings(given).map(({ name, line, nearest, replacedBy }) => {
    const where = line === undefined ? 'the environment' : `${given.file?.path}, line ${line}`
    if (replacedBy !== undefined) return `${where}: ${name} does nothing, because line ${replacedBy} sets it again.`
    const hint = nearest === undefined ? '' : ` The nearest setting is ${nearest}.`
    return name === undefined
      ? `${where}: the line does nothing, because it is not NAME=value.${hint}`
      : `${where}: ${name} is no setting and does nothing.${hint}`
  })
}

function linesWithoutEffect(lines: readonly SettingsLine[]): readonly UnknownSetting[] {
  // The last one counts.
  const effective = new Map(lines.map(({ name, number }) => [name, number]))
  return lines.flatMap(({ number: line, name, word }) => {
    if (name === undefined || !KNOWN.has(name)) return [{ name, line, nearest: likeOneOfOurs(name ?? word) }]
    const last = effective.get(name)
    return last === undefined || last === line ? [] : [{ name, line, nearest: undefined, replacedBy: last }]
  })
}

/** The setting that is probably meant by a name, also where the name is right. */
function likeOneOfOurs(name: string): string | undefined {
  if (name.startsWith(OWN_PREFIX)) return nearestTo(name.slice(OWN_PREFIX.length))
  const nearest = nearestTo(name)
  const [first = '', ...more] = name.toUpperCase().split('_')
  if (nearest !== undefined || more.length === 0) return nearest
  return closest(
    NAMES.filter((known) => known.startsWith(`${first}_`)),
    name,
  )?.known
}

/** The setting that differs by slips of the keys only: one in four letters, in upper or lower case. */
function nearestTo(name: string): string | undefined {
  const slips = (known: string) => Math.floor(Math.min(known.length, name.length) / 4)
  // An environment has dozens of names, and a start would spend a tenth of its time to compare each with each setting.
  const near = NAMES.filter((known) => Math.abs(known.length - name.length) <= slips(known))
  const found = closest(near, name)
  return found !== undefined && found.distance <= slips(found.known) ? found.known : undefined
}

function closest(
  names: readonly string[],
  name: string,
): { readonly known: string; readonly distance: number } | undefined {
  const all = names.map((known) => ({ known, distance: distanceOf(name.toUpperCase(), known) }))
  return all.toSorted((one, other) => one.distance - other.distance)[0]
}

/** Letters to add, omit, replace, or exchange with their neighbour (optimal string alignment). */
function distanceOf(one: string, other: string): number {
  let [before, last]: [readonly number[], readonly number[]] = [
    [],
    Array.from({ length: other.length + 1 }, (_, at) => at),
  ]
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row]
    for (let at = 1; at <= other.length; at += 1) {
      const isSame = one[row - 1] === other[at - 1]
      const isExchanged = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]
      const replaced = (last[at - 1] ?? 0) + (isSame ? 0 : 1)
      const exchanged = isExchanged ? (before[at - 2] ?? 0) + 1 : replaced
      next.push(Math.min((last[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1, replaced, exchanged))
    }
    ;[before, last] = [last, next]
  }
  return last[other.length] ?? 0
}
