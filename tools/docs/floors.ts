import { dirname, join } from 'node:path/posix'

/**
 * Floors of a folder, as ARCHITECTURE.md draws them in a fence ```` ```text floors <folder> ````: a line for each
 * floor, the highest first, its rooms separated by ` · `, then two spaces and words. A room is a folder; `.` are the
 * files beside the rooms. A file imports from its own room and from lower floors.
 */
export interface Floors {
  readonly folder: string
  readonly floors: readonly (readonly string[])[]
}

const INFO = /^text floors (\S+)$/
const IMPORT = /^(?:import|export)\b[^'"]*?\bfrom '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm

/** Undefined if the fence draws something else. */
export function floorsIn(info: string, content: string): Floors | undefined {
  const folder = INFO.exec(info)?.[1]
  if (folder === undefined) return undefined
  const lines = content.split('\n').filter((line) => line.trim() !== '')
  const floors = lines.map((line) => (line.trim().split(/ {2,}/)[0] ?? '').split(' · '))
  return { folder, floors }
}

/** Rooms without a floor or on two, and imports upwards or along. `files`: the repository's. */
export function* floorFaults(
  { folder, floors }: Floors,
  files: readonly string[],
  read: (file: string) => string,
): Generator<string> {
  const floorOf = new Map(floors.flatMap((rooms, floor) => rooms.map((room) => [room, floor])))
  if (floorOf.size < floors.flat().length) yield `${folder}: a room stands on two floors`
  const sources = files.filter((file) => file.startsWith(`${folder}/`) && isProduct(file))
  const rooms = new Set(sources.map((file) => roomOf(folder, file)))
  for (const room of floorOf.keys()) if (!rooms.has(room)) yield `${folder}: ${room} has a floor, but no file`
  for (const room of rooms) if (!floorOf.has(room)) yield `${folder}: ${room} has no floor in ARCHITECTURE.md`
  for (const file of sources) {
    const room = roomOf(folder, file)
    for (const target of importsOf(file, read(file))) {
      if (!target.startsWith(`${folder}/`)) continue
      const other = roomOf(folder, target)
      if (other !== room && !((floorOf.get(other) ?? 0) > (floorOf.get(room) ?? 0)))
        yield `${file}: ${room} may not import from ${other}, which is not below it`
    }
  }
}

/** What tests import is no part of the house. */
function isProduct(file: string): boolean {
  return /\.tsx?$/.test(file) && !/\.test\.tsx?$|\/(contracts|testing)\//.test(file)
}

function roomOf(folder: string, file: string): string {
  const [room = '', ...rest] = file.slice(folder.length + 1).split('/')
  return rest.length === 0 ? '.' : room
}

function importsOf(file: string, text: string): readonly string[] {
  return [...text.matchAll(IMPORT)].map(([, ofStatement, ofCall]) => join(dirname(file), ofStatement ?? ofCall ?? ''))
}
