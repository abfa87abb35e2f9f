/** For tests: the value, which must be there. */
export function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('undefined')
  return value
}
