export { Budget, OutOfBudget } from '../model/values/budget.ts';
