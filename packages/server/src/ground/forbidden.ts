import { statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'

/** Whether the system's code means that this user may not use a file or a directory. The disk is well then. */
export function isForbidden(code: unknown): boolean {
  return code === 'EACCES' || code === 'EPERM'
}

/** For operators, without a full stop: who may not use what, and what to do. */
export function forbidden(path: string): string {
  return `the user ${ownName()} may not read and write ${path}, or may not enter a directory above it. Give it to that user (chown), or run the program as its owner`
}

/** As `forbidden`, for a directory that is not there. */
export function uncreatable(path: string): string {
  return `the user ${ownName()} may not create ${path}, which does not exist. Create it and give it to that user (mkdir, chown)`
}

/** For an error of a system call on a path, what may not be used or created; undefined for every other error. */
export function forbiddenText(error: Error): string | undefined {
  const isSo = 'code' in error && isForbidden(error.code)
  if (!isSo || !('path' in error) || typeof error.path !== 'string') return undefined
  if (!isMissing(error.path)) return forbidden(error.path)
  return 'syscall' in error && error.syscall === 'mkdir' ? uncreatable(error.path) : forbidden(dirname(error.path))
}

/** False also below a directory that this user may not enter, where it cannot be seen. */
export function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

function ownName(): string {
  const uid = process.geteuid?.()
  try {
    const { username } = userInfo()
    return uid === undefined ? username : `${username} (uid ${uid})`
  } catch {
    // A user without a name, as in a container.
    return `with uid ${uid}`
  }
}
