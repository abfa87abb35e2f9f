/** How far ahead ends are tried, in milliseconds. */
const AHEAD_MS = [1_500, 6_000, 24_000]

/** Makes something that ends soon. A busy machine may come after its end, which servers refuse: then a later one. */
export async function endingSoon<Made>(make: (endsAt: string) => Promise<Made>): Promise<Made> {
  for (const [at, aheadMs] of AHEAD_MS.entries())
    try {
      return await make(new Date(Date.now() + aheadMs).toISOString())
    } catch (error) {
      if (at === AHEAD_MS.length - 1) throw error
    }
  throw new Error('there is no time to try')
}
