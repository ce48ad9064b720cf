/** A recipient that was left out because of `on_invalid: "skip"`. */
export interface RecipientError {
  index: number;
  field: string;
  message: string;
}
