"""Make predictions.csv: two classifiers on the same test items of a real data set (breast cancer, UCI).

python examples/make.py
"""

import csv
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

FOLDER = Path(__file__).parent


def main() -> None:
    """Train on 60 % of the items, write what both models say of the others."""
    data = load_breast_cancer()
    names = [str(name) for name in data.target_names]
    train, test, y_train, y_test = train_test_split(
        data.data, data.target, test_size=0.4, random_state=0, stratify=data.target
    )
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "tree": DecisionTreeClassifier(random_state=0),
    }
    columns = {name: model.fit(train, y_train).predict(test) for name, model in models.items()}
    with (FOLDER / "predictions.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "truth", *columns])
        for place, truth in enumerate(y_test):
            said = [names[labels[place]] for labels in columns.values()]
            writer.writerow([place, names[truth], *said])


if __name__ == "__main__":
    main()
