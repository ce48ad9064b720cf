/** One deliberate fault, and the test that has to notice it. */
export interface Mutation {
  /** What the code guards before the mutation. */
  guards: string;
  /** Source file, from the root of the project. */
  file: string;
  /** Text that occurs in it exactly once. */
  find: string;
  replace: string;
  /** Test file that must fail, below test/, without its ending. */
  test: string;
}
