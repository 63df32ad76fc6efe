/** What the address of a peer says. Loopback proves nothing about rights (decision D5); it only exempts from bounds per address. */
export const isLoopback = (address: string): boolean => address === '::1' || /^(?:::ffff:)?127\./.test(address)
