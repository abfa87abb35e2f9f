import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

/** 128 bits: 32 name the rule, so that a store can count its keys; 96 never collide within a rule by chance. */
export const ID_BYTES = 16
export const RULE_BYTES = 4

/** Under which id a count is stored: keyed hashes of rule and key, a character a byte. */
export interface Ids {
  of(kind: 'own' | 'shared', rule: string, key: string): string
}

export function createIds(secret: Uint8Array): Ids {
  // A key object: from bytes, each hash would make one first, and a creation takes about ten hashes.
  const key = createSecretKey(new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(), 'service/limiter/1', 32)))
  const rules = new Map<string, string>()

  function ruleId(rule: string): string {
    const known = rules.get(rule) ?? hashed(key, `rule\0${rule}`, RULE_BYTES)
    rules.set(rule, known)
    return known
  }

  return {
    of: (kind, rule, name) => ruleId(rule) + hashed(key, `${kind}\0${rule}\0${name}`, ID_BYTES - RULE_BYTES),
  }
}

function hashed(key: KeyObject, text: string, bytes: number): string {
  return createHmac('sha256', key).update(text).digest().toString('latin1', 0, bytes)
}
