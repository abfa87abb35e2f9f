import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Checker } from './checker.ts'

/** For Node: several times as fast as walking the schema, by code made at run time. */
export function createChecker(schema: TSchema): Checker {
  return Compile(schema)
}
