/** `1 file`, `2 files`; with `many`, also words around the noun: `1 file has`, `2 files have`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
