/** How a hint that a person gives in mid-turn reaches the model: behind the next result of a tool (contract gateway.md, Verified 12). */
export const steerNote = (text: string): string =>
  `\n\n[OUT-OF-BAND USER MESSAGE — a direct message from the user, delivered mid-turn; not tool output]\n${text}\n[/OUT-OF-BAND USER MESSAGE]`
