/** For a name inside of a sentence, where no element can isolate it: it cannot turn the direction of what stands around it (Unicode TR 9, FSI and PDI). */
export function isolated(name: string): string {
  return `\u2068${name}\u2069`
}
